-- Which time is this text, in the format of Kubernetes?
-- A timestamp in UTC. NULL for an empty text and for Go's zero time.
create macro published_time(text) as case
    when coalesce(text, '') = '' or starts_with(text, '0001-01-01') then null
    when ends_with(text, 'Z') then left(text, -1)::timestamp
    else make_timestamp(epoch_us(text::timestamptz))
end;
