using System.Net.Http.Headers;
using System.Text;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Cluster;

/// <summary>Changes the queue through the broker's management API.</summary>
internal sealed class QueueControl(HttpClient http, Uri broker)
{
    // A lock lasts at most 5 minutes.
    private static readonly TimeSpan MaxWait = TimeSpan.FromMinutes(6),
        Pause = TimeSpan.FromMilliseconds(100);

    // The local broker's well-known default key; not a secret.
    private static readonly AuthenticationHeaderValue Key = new(
        "Basic",
        Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8)
    );

    public async Task<QueueCounters> ReadAsync(CancellationToken cancellationToken) =>
        (await BrokerCounters.ReadAsync(http, broker, cancellationToken)).Queue;

    public async Task UpdateAsync(KnobSet knobs, CancellationToken cancellationToken)
    {
        var properties = BrokerConfig
            .Properties(knobs)
            .Select(property => $"<{property.Key}>{property.Value}</{property.Key}>");
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(broker, BrokerCounters.QueueName))
        {
            Content = Entry(string.Concat(properties)),
        };
        request.Headers.IfMatch.Add(EntityTagHeaderValue.Any);
        request.Headers.Authorization = Key;
        using var response = await http.SendAsync(request, cancellationToken);
        response.EnsureSuccessStatusCode();
    }

    /// <summary>Deletes all messages and dead letters, including those whose locks have yet to expire.</summary>
    public async Task PurgeAsync(TimeProvider clock, CancellationToken cancellationToken)
    {
        for (var began = clock.GetTimestamp(); ; await Task.Delay(Pause, clock, cancellationToken))
        {
            await PostAsync($"{BrokerCounters.QueueName}/$purge", cancellationToken);
            await PostAsync($"{BrokerCounters.QueueName}/$DeadLetterQueue/$purge", cancellationToken);
            var left = await ReadAsync(cancellationToken);
            if (left is { Queued: 0, DeadLetter: 0 })
                return;
            if (clock.GetElapsedTime(began) > MaxWait)
            {
                throw new LabException(
                    $"{left.Queued + left.DeadLetter} messages are still in the queue after {MaxWait.TotalMinutes} minutes "
                        + "of purging: a receiver renews their locks, or a client keeps sending. Stop it and try again."
                );
            }
        }
    }

    private async Task PostAsync(string path, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(broker, path));
        request.Headers.Authorization = Key;
        using var response = await http.SendAsync(request, cancellationToken);
        response.EnsureSuccessStatusCode();
    }

    private static StringContent Entry(string description) =>
        new(
            $"""
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">
            <QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">{description}</QueueDescription>
            </content></entry>
            """,
            Encoding.UTF8,
            "application/atom+xml"
        );
}
