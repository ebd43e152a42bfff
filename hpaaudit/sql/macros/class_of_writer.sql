-- Which class has a divergence that a write by this kind of writer made?
-- A text such as `external_write.manual`. writer_class: as in `scale_events`.
create macro main.class_of_writer(writer_class) as 'external_write.' || case writer_class
    when 'kubectl' then 'manual'
    when 'person' then 'manual'
    when 'keda' then 'autoscaler'
    else writer_class
end;
