namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Section <c>Telemetry</c>. It has an effect only if <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> or
/// <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is set.</summary>
internal sealed class TelemetryOptions
{
    public const string Section = "Telemetry";

    /// <summary>The activity source of commands to Redis.</summary>
    public const string RedisSource = "DroneDelivery.Redis";

    /// <summary>Name of this replica: <c>cloud_RoleInstance</c>, <c>service.instance.id</c>. Empty: machine and process id.</summary>
    public string? RoleInstance { get; set; }

    /// <summary>Whether commands to Redis are spans. Off by default, because the SDKs don't track Redis by themselves.</summary>
    public bool TrackRedis { get; set; }

    // The process id tells replicas on one machine apart; in a cluster the machine name already does.
    internal string EffectiveRoleInstance =>
        string.IsNullOrEmpty(RoleInstance) ? $"{Environment.MachineName}-{Environment.ProcessId}" : RoleInstance;
}
