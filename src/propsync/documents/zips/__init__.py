"""Bundles: ZIPs that nobody vouches for, checked and read without unpacking them."""
