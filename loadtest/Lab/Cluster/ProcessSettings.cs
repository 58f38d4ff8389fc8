namespace DroneDelivery.Lab.Cluster;

internal static class ProcessSettings
{
    /// <summary>Assemblies that the runtime loads before a process's own: services get <c>LabAgent</c>.</summary>
    public const string StartupHooks = "DOTNET_STARTUP_HOOKS";

    /// <summary>What every process gets. The person's own settings of .NET applications must not change a measurement.</summary>
    private static readonly Dictionary<string, string> Common = new()
    {
        ["ASPNETCORE_ENVIRONMENT"] = "Production",
        ["DOTNET_ENVIRONMENT"] = "Production",
        ["APPLICATIONINSIGHTS_CONNECTION_STRING"] = "",
        [StartupHooks] = "",
        ["NO_PROXY"] = "127.0.0.1,localhost",
        // Two dozen processes share a laptop: one heap each, no collector thread beside it.
        ["DOTNET_gcServer"] = "0",
        ["DOTNET_gcConcurrent"] = "0",
        ["DOTNET_TieredPGO"] = "0",
        // Hexadecimal. Where a dozen replicas begin at once, compiling again what ran 30 times (the runtime's default) takes both cores for
        // half a minute. Code that matters soon runs as often.
        ["DOTNET_TC_CallCountThreshold"] = "80",
        // The guard against memory that is written and executed is paid for with each method that is compiled, in each of
        // three dozen processes.
        ["DOTNET_EnableWriteXorExecute"] = "0",
        // Settings do not change under a run. Watching them means to watch every folder below the current one, where all processes write:
        // an eighth of the CPU of a stage with three dozen of them.
        ["DOTNET_hostBuilder__reloadConfigOnChange"] = "false",
        // Nor threads that spin for more work: of two dozen processes, those that spin take the CPU from those that work.
        ["DOTNET_ThreadPool_UnfairSemaphoreSpinLimit"] = "0",
        ["Logging__Console__FormatterName"] = "simple",
        ["Logging__Console__FormatterOptions__SingleLine"] = "true",
        ["Logging__Console__FormatterOptions__TimestampFormat"] = "HH:mm:ss.fff ",
    };

    /// <summary>What every process gets, and the variables of configuration keys: <c>Section:Key</c> → <c>Section__Key</c>.</summary>
    public static IReadOnlyDictionary<string, string> From(IEnumerable<KeyValuePair<string, string>> settings)
    {
        var environment = new Dictionary<string, string>(Common);
        foreach (var (key, value) in settings)
            environment[Variable(key)] = value;
        return environment;
    }

    public static string Variable(string key) => key.Replace(":", "__", StringComparison.Ordinal);
}
