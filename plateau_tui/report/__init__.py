"""The verdict on paper: the record, the page, the plots, the export folder and its check."""
