char large_data[60 << 20]; // zeroes: no room in the file
