"""One module a kind of page: what the page shows, worked out before any template sees it."""
