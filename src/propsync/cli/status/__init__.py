"""`propsync status`: how fresh and how complete the published copy is."""
