namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// For the real application of a test: a machine that stands still for some seconds is no broker that does not answer. Below the 30 s after
/// which the lab's own clients give up.
/// </summary>
internal static class PatientServices
{
    public static IReadOnlyDictionary<string, IReadOnlyDictionary<string, string>> Overrides { get; } =
        new Dictionary<string, IReadOnlyDictionary<string, string>>
        {
            ["ingestion"] = new Dictionary<string, string> { ["ServiceBus:SendTimeout"] = "00:00:20" },
        };
}
