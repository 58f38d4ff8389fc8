namespace DroneDelivery.Lab.Cluster;

internal static class ProcessSettings
{
    /// <summary>Assemblies that the runtime loads first, such as <c>LabAgent</c>.</summary>
    public const string StartupHooks = "DOTNET_STARTUP_HOOKS";

    /// <summary>The environment of every process. Overrides the user's .NET settings, which would affect measurements.</summary>
    private static readonly Dictionary<string, string> Common = new()
    {
        ["ASPNETCORE_ENVIRONMENT"] = "Production",
        ["DOTNET_ENVIRONMENT"] = "Production",
        ["APPLICATIONINSIGHTS_CONNECTION_STRING"] = "",
        [StartupHooks] = "",
        ["NO_PROXY"] = "127.0.0.1,localhost",
        // Two dozen processes share a machine: one heap each, without background collection.
        ["DOTNET_gcServer"] = "0",
        ["DOTNET_gcConcurrent"] = "0",
        ["DOTNET_TieredPGO"] = "0",
        // Hexadecimal. With the default of 30 calls, JIT recompilation uses both cores for half a minute when a dozen replicas start.
        ["DOTNET_TC_CallCountThreshold"] = "80",
        // W^X protection slows every JIT compilation, in three dozen processes.
        ["DOTNET_EnableWriteXorExecute"] = "0",
        // Settings don't change during a run, and file watchers would use 1/8 of a stage's CPU.
        ["DOTNET_hostBuilder__reloadConfigOnChange"] = "false",
        // No spinning threads, which take CPU from other processes.
        ["DOTNET_ThreadPool_UnfairSemaphoreSpinLimit"] = "0",
        ["Logging__Console__FormatterName"] = "simple",
        ["Logging__Console__FormatterOptions__SingleLine"] = "true",
        ["Logging__Console__FormatterOptions__TimestampFormat"] = "HH:mm:ss.fff ",
    };

    public static IReadOnlyDictionary<string, string> From(IEnumerable<KeyValuePair<string, string>> settings)
    {
        var environment = new Dictionary<string, string>(Common);
        foreach (var (key, value) in settings)
            environment[Variable(key)] = value;
        return environment;
    }

    public static string Variable(string key) => key.Replace(":", "__", StringComparison.Ordinal);
}
