namespace DroneDelivery.Bench;

/// <summary>Environment of a service under test and of what it is compared with: as the lab runs services.</summary>
internal static class ServiceSettings
{
    public static Dictionary<string, string> With(params (string Name, string Value)[] own)
    {
        var settings = new Dictionary<string, string>
        {
            ["DOTNET_gcServer"] = "0",
            ["DOTNET_ThreadPool_UnfairSemaphoreSpinLimit"] = "0",
        };
        foreach (var (name, value) in own)
            settings[name] = value;
        return settings;
    }
}
