CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, slug TEXT NOT NULL UNIQUE, department TEXT NOT NULL);
CREATE TABLE product (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL UNIQUE,
  brand TEXT NOT NULL,
  kind_id INTEGER NOT NULL REFERENCES kind (id),
  price INTEGER NOT NULL, -- in cents, as all amounts
  was INTEGER, -- an earlier, higher price
  weight INTEGER NOT NULL, -- in grams
  description TEXT NOT NULL,
  added TEXT NOT NULL
);
CREATE INDEX product_by_kind ON product (kind_id, price);
CREATE TABLE shelf ( -- what moves with every sale and review; not watched
  product_id INTEGER PRIMARY KEY REFERENCES product (id),
  stock INTEGER NOT NULL,
  rating REAL NOT NULL,
  num_reviews INTEGER NOT NULL
);
CREATE TABLE fact (product_id INTEGER NOT NULL REFERENCES product (id), name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (product_id, name)) WITHOUT ROWID;
CREATE TABLE feature (product_id INTEGER NOT NULL REFERENCES product (id), name TEXT NOT NULL, PRIMARY KEY (product_id, name)) WITHOUT ROWID;
CREATE TABLE choice (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  in_stock INTEGER NOT NULL
);
CREATE INDEX choice_by_product ON choice (product_id);
CREATE TABLE customer (
  login TEXT PRIMARY KEY,
  password TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT NOT NULL,
  newsletter TEXT NOT NULL DEFAULT 'Never' CHECK (newsletter IN ('Never', 'Weekly', 'Monthly')),
  texts INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE review (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  login TEXT NOT NULL REFERENCES customer (login),
  author TEXT NOT NULL,
  stars INTEGER NOT NULL CHECK (stars BETWEEN 1 AND 5),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  written TEXT NOT NULL
);
CREATE INDEX review_by_product ON review (product_id);
CREATE INDEX review_by_login ON review (login);
CREATE TABLE address (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES customer (login),
  label TEXT NOT NULL,
  name TEXT NOT NULL,
  street TEXT NOT NULL,
  city TEXT NOT NULL,
  postcode TEXT NOT NULL,
  is_default INTEGER NOT NULL
);
CREATE TABLE card (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES customer (login),
  brand TEXT NOT NULL,
  last4 TEXT NOT NULL,
  expires TEXT NOT NULL,
  is_default INTEGER NOT NULL
);
CREATE TABLE basket (login TEXT PRIMARY KEY REFERENCES customer (login), coupon TEXT) WITHOUT ROWID;
CREATE TABLE cart_item (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES customer (login),
  product_id INTEGER NOT NULL REFERENCES product (id),
  options TEXT NOT NULL, -- such as "Colour: Moss, Size: M", in the order of the product's options
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  UNIQUE (login, product_id, options)
);
CREATE TABLE saved_item (login TEXT NOT NULL REFERENCES customer (login), product_id INTEGER NOT NULL REFERENCES product (id), PRIMARY KEY (login, product_id)) WITHOUT ROWID;
CREATE TABLE coupon (
  code TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('percent', 'amount', 'shipping')),
  value INTEGER NOT NULL, -- percent, or cents
  minimum INTEGER NOT NULL,
  department TEXT, -- NULL for all
  expires TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE shipping (name TEXT PRIMARY KEY, price INTEGER NOT NULL, free_from INTEGER, days INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  number TEXT NOT NULL UNIQUE,
  login TEXT NOT NULL REFERENCES customer (login),
  placed TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('Processing', 'Shipped', 'Delivered', 'Cancelled')),
  delivered TEXT,
  to_name TEXT NOT NULL,
  to_street TEXT NOT NULL,
  to_city TEXT NOT NULL,
  to_postcode TEXT NOT NULL,
  shipping TEXT NOT NULL,
  card TEXT NOT NULL, -- such as "Meridian ending in 4411"
  coupon TEXT,
  gift_note TEXT NOT NULL DEFAULT '',
  goods INTEGER NOT NULL,
  discount INTEGER NOT NULL,
  shipping_cost INTEGER NOT NULL,
  total INTEGER NOT NULL
);
CREATE INDEX orders_by_login ON orders (login);
CREATE TABLE order_item (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES product (id),
  options TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  price INTEGER NOT NULL
);
CREATE INDEX item_by_order ON order_item (order_id);
CREATE TABLE goods_return (
  id INTEGER PRIMARY KEY,
  item_id INTEGER NOT NULL UNIQUE REFERENCES order_item (id),
  reason TEXT NOT NULL,
  wanted TEXT NOT NULL CHECK (wanted IN ('Refund', 'Exchange', 'Store credit')),
  comment TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('Requested', 'Refunded', 'Exchanged')),
  asked TEXT NOT NULL
);
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL REFERENCES customer (login),
  topic TEXT NOT NULL,
  order_number TEXT NOT NULL,
  text TEXT NOT NULL,
  sent TEXT NOT NULL
);
CREATE VIRTUAL TABLE product_text USING fts5 (title, brand, kind, words, content = '', tokenize = 'porter unicode61');
