int FuzzLoader_main(int count, char **arguments);
