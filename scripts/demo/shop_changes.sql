UPDATE customers SET city = 'Paris' WHERE name = 'Grace';
INSERT INTO customers VALUES (5, 'Tony', 'Oxford', 10.00);
DELETE FROM customers WHERE name = 'Edsger';
