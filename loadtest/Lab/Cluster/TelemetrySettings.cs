namespace DroneDelivery.Lab.Cluster;

/// <summary>What a replica is told about its telemetry, as configuration keys and values.</summary>
internal static class TelemetrySettings
{
    public const string ConnectionString = "APPLICATIONINSIGHTS_CONNECTION_STRING";

    /// <param name="connectionString">Of the collector; null turns telemetry off.</param>
    /// <param name="replica">For people: <c>workflow-0</c>. Becomes <c>cloud_RoleInstance</c>.</param>
    public static IEnumerable<KeyValuePair<string, string>> Of(string? connectionString, string replica) => connectionString is null
        ? []
        : [new(ConnectionString, connectionString), new("Telemetry:RoleInstance", replica)];
}
