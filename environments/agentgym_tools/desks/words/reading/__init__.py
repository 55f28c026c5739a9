"""How words are read as acts: of an agent in `agent`, of a customer in `customer`."""
