-- Which option of `replay` gives the controller this setting?
-- A text such as `--flag tolerance=0.3`. Of a feature gate or rule `alternative` is the option itself. NULL without a setting, or
-- where it is what the controller remembered.
create macro main.setting_as_option(key, alternative) as
    case key
        when 'restart' then null
        when 'lease' then null
        when 'reconcile' then null
        when 'release' then '--release ' || alternative
        when 'feature-gate' then alternative
        when 'rule' then alternative
        else '--flag ' || key || '=' || alternative
    end;
