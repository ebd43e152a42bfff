-- Which class has a divergence that another value of this setting explains?
-- config.* for how the controller was started, memory.* for what it remembered.
create macro main.setting_class(key) as
    case key
        when 'restart' then 'memory.controller_restart'
        when 'lease' then 'memory.other_lease'
        when 'reconcile' then 'no_data.object_unseen'
        when 'rule' then 'config.release'
        when 'use-rest-clients' then 'config.release'
        else 'config.' || replace(key, '-', '_')
    end;
