using System.Text.Json.Serialization;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Metrics;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Admin;

internal static class StatusApi
{
    public static void MapStatus(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/health", (ServiceBusNamespace entities) =>
        {
            var health = BrokerHealth.Of(entities);
            return TypedResults.Json(health, statusCode: health.IsHealthy ? 200 : 503);
        });
        routes.MapGet("/metrics", (ServiceBusNamespace entities, AmqpFrontEnd frontEnd) =>
            TypedResults.Text(
                BrokerMetric.Render(BrokerCounts.Of(entities, frontEnd, BrokerMetric.MaxQueues)),
                BrokerMetric.ContentType
            )
        );
        routes.MapGet("/$counters", (ServiceBusNamespace entities, AmqpFrontEnd frontEnd) =>
            BrokerCounts.Of(entities, frontEnd)
        );
    }
}

/// <summary>The health of the broker: problems that need an operator.</summary>
/// <param name="FailedQueues">Queues that must be deleted and created again.</param>
/// <param name="Journal">The reason why the broker rejects messages; <c>null</c> if it can write to the data folder or
/// has none.</param>
internal sealed record BrokerHealth(string Status, long Defects, IReadOnlyList<string> FailedQueues, string? Journal)
{
    [JsonIgnore]
    public bool IsHealthy => FailedQueues.Count == 0 && Journal is null;

    public static BrokerHealth Of(ServiceBusNamespace entities)
    {
        var failed = entities.All.Where(queue => queue.Failure is not null).Select(queue => queue.Name).ToList();
        var trouble = entities.Journal.WriteError;
        return new(
            failed.Count == 0 && trouble is null ? "Healthy" : "Degraded",
            entities.Defects.Count,
            failed,
            trouble
        );
    }
}
