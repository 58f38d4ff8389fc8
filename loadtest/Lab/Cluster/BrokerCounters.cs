using System.Net.Http.Json;
using System.Text.Json;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The response of the broker's <c>GET /$counters</c>.</summary>
internal sealed record BrokerCounters(
    DateTimeOffset Time,
    int Connections,
    IReadOnlyDictionary<string, QueueCounters> Queues
)
{
    public const string QueueName = "delivery-requests";

    public const string FailedQueueName = "delivery-requests-failed";

    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        RespectRequiredConstructorParameters = true,
    };

    public QueueCounters Queue => Queues[QueueName];

    public static async Task<BrokerCounters> ReadAsync(
        HttpClient http,
        Uri broker,
        CancellationToken cancellationToken
    ) =>
        await http.GetFromJsonAsync<BrokerCounters>(new Uri(broker, "$counters"), Options, cancellationToken)
        ?? throw new LabException($"{broker}$counters returned null.");
}
