namespace DroneDelivery.Services.Tests.Support;

internal static class Settings
{
    /// <summary>Merges the settings. <paramref name="more"/> takes precedence.</summary>
    public static Dictionary<string, string?> And(
        this Dictionary<string, string?> settings,
        Dictionary<string, string?> more
    ) => settings.Concat(more).GroupBy(pair => pair.Key).ToDictionary(pairs => pairs.Key, pairs => pairs.Last().Value);

    public static Dictionary<string, string?> And(
        this Dictionary<string, string?> settings,
        string key,
        string? value
    ) => settings.And(new Dictionary<string, string?> { [key] = value });
}
