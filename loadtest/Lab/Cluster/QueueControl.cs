using System.Net.Http.Headers;
using System.Text;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Cluster;

/// <summary>Changes the queue while the broker runs, through the broker's management API.</summary>
internal sealed class QueueControl(HttpClient http, Uri broker)
{
    // A lock lasts 5 minutes at most.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(6),
        Pause = TimeSpan.FromMilliseconds(100);

    // Of the local broker's default rule: known to everybody, no secret.
    private static readonly AuthenticationHeaderValue Key = new(
        "Basic",
        Convert.ToBase64String("RootManageSharedAccessKey:SAS_KEY_VALUE"u8)
    );

    public async Task<QueueCounters> ReadAsync(CancellationToken cancellationToken) =>
        (await BrokerCounters.ReadAsync(http, broker, cancellationToken)).Queue;

    /// <exception cref="HttpRequestException">The broker is gone, or refuses.</exception>
    public async Task UpdateAsync(KnobSet knobs, CancellationToken cancellationToken)
    {
        var properties = BrokerConfig.Properties(knobs).Select(it => $"<{it.Key}>{it.Value}</{it.Key}>");
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri(broker, BrokerCounters.QueueName))
        {
            Content = Entry(string.Concat(properties)),
        };
        request.Headers.IfMatch.Add(EntityTagHeaderValue.Any);
        request.Headers.Authorization = Key;
        using var response = await http.SendAsync(request, cancellationToken);
        response.EnsureSuccessStatusCode();
    }

    /// <summary>Drops every message, dead letters too. What receivers that are gone still hold is dropped when its lock ends.</summary>
    public async Task PurgeAsync(TimeProvider clock, CancellationToken cancellationToken)
    {
        for (var began = clock.GetTimestamp(); ; await Task.Delay(Pause, clock, cancellationToken))
        {
            await PostAsync($"{BrokerCounters.QueueName}/$purge", cancellationToken);
            await PostAsync($"{BrokerCounters.QueueName}/$DeadLetterQueue/$purge", cancellationToken);
            var left = await ReadAsync(cancellationToken);
            if (left is { Queued: 0, DeadLetter: 0 })
                return;
            if (clock.GetElapsedTime(began) > Patience)
            {
                throw new LabException(
                    $"{left.Queued + left.DeadLetter} messages are still in the queue after {Patience.TotalMinutes} minutes "
                        + "of emptying it: a receiver holds them and renews their locks, or somebody sends. Stop it, and try again."
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
