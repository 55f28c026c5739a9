"""What is known of words at a desk before anybody speaks: sentences, meanings, values, and the language of a world."""
