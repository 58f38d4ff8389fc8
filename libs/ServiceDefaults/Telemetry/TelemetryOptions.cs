namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// Section <c>Telemetry</c>. Requires <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> or <c>OTEL_EXPORTER_OTLP_ENDPOINT</c>.
/// </summary>
internal sealed class TelemetryOptions
{
    public const string Section = "Telemetry";

    public const string RedisSource = "DroneDelivery.Redis";

    /// <summary>
    /// The replica's name, for <c>cloud_RoleInstance</c> and <c>service.instance.id</c>. The default is the machine name and process id.
    /// </summary>
    public string? RoleInstance { get; set; }

    /// <summary>Whether Redis commands create spans.</summary>
    public bool TrackRedis { get; set; }

    // The process id distinguishes replicas on one machine.
    internal string EffectiveRoleInstance =>
        string.IsNullOrEmpty(RoleInstance) ? $"{Environment.MachineName}-{Environment.ProcessId}" : RoleInstance;
}
