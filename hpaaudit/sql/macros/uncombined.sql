-- What did an Event say, if the client had not put it together with others?
-- A text. From the eleventh similar Event within ten minutes on, client-go's EventAggregator writes one for all of them, with
-- this prefix before the message of the newest.
create macro main.uncombined(message) as regexp_replace(message, '^\(combined from similar events\): ', '');
