namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Section <c>Telemetry</c>. It counts only where <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> or
/// <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is set.</summary>
internal sealed class TelemetryOptions
{
    public const string Section = "Telemetry";

    /// <summary>Name of this replica: <c>cloud_RoleInstance</c>, <c>service.instance.id</c>. Empty: machine and process id.</summary>
    public string? RoleInstance { get; set; }

    /// <summary>Whether calls to Redis are dependencies in Application Insights. Off, as with every SDK: none tracks Redis by itself.
    /// OpenTelemetry has them always.</summary>
    public bool TrackRedis { get; set; }

    // The process id tells replicas on one machine apart; in a cluster the machine name already does.
    internal string EffectiveRoleInstance =>
        string.IsNullOrEmpty(RoleInstance) ? $"{Environment.MachineName}-{Environment.ProcessId}" : RoleInstance;
}
