using System.Text.Json;
using System.Xml;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The broker's configuration in the format of the emulator's <c>Config.json</c>.</summary>
internal static class BrokerConfig
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static string Write(ApplicationPlan plan)
    {
        IEnumerable<object> queues =
        [
            new { Name = BrokerCounters.QueueName, Properties = Properties(plan.Knobs) },
            new { Name = BrokerCounters.FailedQueueName },
        ];
        var namespaces = new[] { new { Name = "sbemulatorns", Queues = queues } };
        var config = new { UserConfig = new { Namespaces = namespaces, Logging = new { Type = "Console" } } };
        var file = Path.Combine(plan.Data, "Config.json");
        File.WriteAllText(file, JsonSerializer.Serialize(config, Indented));
        return file;
    }

    /// <summary>Returns the queue properties under their Service Bus names.</summary>
    public static IReadOnlyDictionary<string, object> Properties(KnobSet knobs)
    {
        var properties = new Dictionary<string, object>();
        if (knobs["queue.lockDuration"] is { } lockDuration)
            properties["LockDuration"] = XmlConvert.ToString(TimeSpan.FromSeconds(lockDuration.Number));
        if (knobs["queue.maxDeliveryCount"] is { } count)
            properties["MaxDeliveryCount"] = (int)count.Number;
        return properties;
    }
}
