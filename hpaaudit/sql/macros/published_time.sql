-- When is that, as Kubernetes writes times? NULL for none and for Go's zero time.
create macro published_time(text) as
    if(coalesce(text, '') = '' or starts_with(text, '0001-01-01'), null, text::timestamptz at time zone 'UTC');
