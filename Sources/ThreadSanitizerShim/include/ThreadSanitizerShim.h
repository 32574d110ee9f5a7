// Nothing to call: mutex.c replaces functions of the standard library under ThreadSanitizer.
