using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Tracking.Tables;

/// <summary>Tells the log why hits cannot be stored, and the client only that.</summary>
internal sealed class TableOutage(ILogger<TableOutage> logger)
{
    public const string DoesNotAnswer = "The table server does not answer.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly Outage _outage = new("Table server", logger);

    public void Succeeded() => _outage.Succeeded();

    /// <returns>What the client is told.</returns>
    public DependencyUnavailableException Failed(TableServerException exception)
    {
        _outage.Failed(exception.Message);
        return new(
            "urn:drone-delivery:table-unavailable",
            "The hit was not stored",
            "The table server does not take the hit for now.",
            RetryAfter,
            exception,
            exception.Message);
    }
}
