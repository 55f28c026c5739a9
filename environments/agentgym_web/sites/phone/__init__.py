"""A phone with chats, a calendar, lists, contacts and alarms, in a touch layout: tap, swipe, long press, pull down."""
