"""What the site is made from: the generator (Python), its assets and its documentation pages."""
