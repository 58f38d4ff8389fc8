using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Security;

namespace DroneDelivery.Ingestion;

internal static class DeliveryRequestsApi
{
    private const string Prefix = "/api/deliveryrequests";

    public static void MapDeliveryRequests(this IEndpointRouteBuilder app)
    {
        var requests = app.MapApi(Prefix, CallerPolicies.Client)
            .WithTags("Delivery requests")
            .ProducesValidationProblem()
            .ProducesProblem(StatusCodes.Status401Unauthorized)
            .ProducesProblem(StatusCodes.Status403Forbidden)
            .ProducesProblem(StatusCodes.Status504GatewayTimeout);
        requests
            .MapPost("", ScheduleDelivery.HandleAsync)
            .WithName("ScheduleDelivery")
            .WithSummary("Accepts a delivery request once the broker has stored it.");
        var deliveries = requests
            .MapGroup("/{id}")
            .ProducesProblem(StatusCodes.Status404NotFound)
            .ProducesProblem(StatusCodes.Status409Conflict);
        deliveries
            .MapGet("", FollowDelivery.HandleAsync)
            .WithName("FollowDelivery")
            .WithSummary("Returns 202 until the delivery is recorded, then its status.");
        deliveries
            .MapPatch("", RescheduleDelivery.HandleAsync)
            .WithName("RescheduleDelivery")
            .WithSummary("Accepts new places or times of a delivery once the broker has stored them.");
        deliveries
            .MapDelete("", CancelDelivery.HandleAsync)
            .WithName("CancelDelivery")
            .WithSummary("Accepts the cancellation of a delivery once the broker has stored it.");
    }

    /// <param name="acceptance">The acceptance token; <c>null</c> for a change, because the delivery may not exist.</param>
    public static string GetStatusUrl(string deliveryId, string? acceptance = null) =>
        acceptance is null ? $"{Prefix}/{deliveryId}" : $"{Prefix}/{deliveryId}?acceptance={acceptance}";
}
