namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Section <c>Telemetry</c>. It counts only where <c>APPLICATIONINSIGHTS_CONNECTION_STRING</c> is set.</summary>
internal sealed class TelemetryOptions
{
    public const string Section = "Telemetry";

    /// <summary>Name of this replica, <c>cloud_RoleInstance</c>. Empty: machine and process id.</summary>
    public string? RoleInstance { get; set; }

    /// <summary>Whether calls to Redis are dependencies in the telemetry. Off, as with every SDK: none tracks Redis by itself.</summary>
    public bool TrackRedis { get; set; }
}
