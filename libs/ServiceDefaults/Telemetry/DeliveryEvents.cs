namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Records an event in Application Insights. Registered only if a connection string is set.</summary>
public delegate void TrackEvent(string name, IDictionary<string, string> properties);

/// <summary>Reports the progress of deliveries to the log and to Application Insights.</summary>
public sealed partial class DeliveryEvents(ILogger<DeliveryEvents> logger, TrackEvent? trackEvent = null)
{
    public void Accepted(string deliveryId, string operation) => Record(nameof(Accepted), deliveryId, operation);

    public void Completed(string deliveryId, string operation) => Record(nameof(Completed), deliveryId, operation);

    public void Failed(string deliveryId, string reason) => Record(nameof(Failed), deliveryId, reason);

    public void Compensated(string deliveryId, string reason) => Record(nameof(Compensated), deliveryId, reason);

    public void Postponed(string deliveryId, TimeSpan delay) => Record(nameof(Postponed), deliveryId, $"for {delay}");

    private void Record(string progress, string deliveryId, string detail)
    {
        Log(logger, deliveryId, progress, detail);
        trackEvent?.Invoke(
            $"Delivery{progress}",
            new Dictionary<string, string> { ["drone_delivery.delivery.id"] = deliveryId, ["detail"] = detail }
        );
    }

    [LoggerMessage(Level = LogLevel.Information, Message = "Delivery {DeliveryId}: {Progress} ({Detail})")]
    private static partial void Log(ILogger logger, string deliveryId, string progress, string detail);
}
