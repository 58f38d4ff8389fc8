using System.Text.Json;
using System.Xml;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Processes;

/// <summary>The queue as the broker is told it: a file in the form of the official emulator's <c>Config.json</c>.</summary>
internal static class BrokerConfig
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    public static string Write(string folder, KnobSet knobs)
    {
        var properties = new Dictionary<string, object>();
        if (knobs["queue.lockDuration"] is { } lockDuration)
            properties["LockDuration"] = XmlConvert.ToString(TimeSpan.FromSeconds(lockDuration.Number));
        if (knobs["queue.maxDeliveryCount"] is { } count)
            properties["MaxDeliveryCount"] = (int)count.Number;
        var queue = new { Name = BrokerCounters.QueueName, Properties = properties };
        var namespaces = new[] { new { Name = "sbemulatorns", Queues = new[] { queue } } };
        var config = new { UserConfig = new { Namespaces = namespaces, Logging = new { Type = "Console" } } };
        var file = Path.Combine(folder, "Config.json");
        File.WriteAllText(file, JsonSerializer.Serialize(config, Indented));
        return file;
    }
}
