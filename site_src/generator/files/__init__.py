"""Files beside the pages: endpoints, feeds, badges, pictures, citations and the documentation."""
