using DroneDelivery.LocalServiceBus;

namespace DroneDelivery.ServiceBus;

/// <summary>Parses the command line: short names for common settings, and all settings by their full name.</summary>
internal static class Arguments
{
    private const string Usage =
        "Usage: [--port N] [--management-port N] [--queue NAME]... [--config FILE] "
        + "[--data FOLDER] [--listen localhost|*|ADDRESS] [--tls] [--certificate FILE] [--certificate-key FILE] "
        + "[--no-auth] [--healthy] "
        + "[--ServiceBus:SETTING VALUE] [--Logging:SETTING VALUE]";

    private static readonly Dictionary<string, string> ShortNames = new()
    {
        ["--port"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.Port)}",
        ["--management-port"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.ManagementPort)}",
        ["--config"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.ConfigFile)}",
        ["--data"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.DataFolder)}",
        ["--listen"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.Listen)}",
        ["--certificate"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.CertificateFile)}",
        ["--certificate-key"] = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.CertificateKeyFile)}",
    };

    private static readonly Dictionary<string, (string Setting, string Value)> Switches = new()
    {
        ["--tls"] = ($"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.Tls)}", "true"),
        ["--no-auth"] = ($"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.RequireTokens)}", "false"),
    };

    // Can be repeated.
    private const string Queue = "--queue";

    /// <summary>Parses <c>--name value</c> and <c>--name=value</c>.</summary>
    /// <exception cref="BrokerStartException">An argument is unknown or has no value. (The framework's parser ignores
    /// such arguments.)</exception>
    public static Dictionary<string, string?> Read(IEnumerable<string> arguments)
    {
        string[] args = [.. arguments];
        var settings = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < args.Length; i++)
        {
            if (Switches.TryGetValue(args[i], out var on))
            {
                settings[on.Setting] = on.Value;
                continue;
            }
            var (name, value) = args[i].Split('=', 2) is [var left, var right] ? (left, right) : (args[i], null);
            var setting = (name == Queue ? QueueSetting(settings) : SettingOf(name))
                ?? throw new BrokerStartException($"Unknown argument '{args[i]}'. {Usage}");
            settings[setting] = value
                ?? (++i < args.Length ? args[i] : throw new BrokerStartException($"{name} requires a value. {Usage}"));
        }
        return settings;
    }

    private static string QueueSetting(Dictionary<string, string?> settings)
    {
        const string Names = $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.QueueNames)}";
        return $"{Names}:{settings.Keys.Count(key => key.StartsWith(Names, StringComparison.Ordinal))}";
    }

    private static string? SettingOf(string name)
    {
        if (ShortNames.TryGetValue(name, out var setting))
            return setting;
        string[] sections = [$"--{LocalServiceBusOptions.Section}:", "--Logging:"];
        return sections.Any(section => name.StartsWith(section, StringComparison.OrdinalIgnoreCase)) ? name[2..] : null;
    }
}
