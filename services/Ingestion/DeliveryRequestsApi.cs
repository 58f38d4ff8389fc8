using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Security;

namespace DroneDelivery.Ingestion;

/// <summary>The routes of Ingestion.</summary>
internal static class DeliveryRequestsApi
{
    public const string Prefix = "/api/deliveryrequests";

    // Of each route, by the limits of the service; docs/limits.md says when.
    private static readonly int[] Refusals =
    [
        StatusCodes.Status401Unauthorized,
        StatusCodes.Status403Forbidden,
        StatusCodes.Status429TooManyRequests,
        StatusCodes.Status503ServiceUnavailable,
        StatusCodes.Status504GatewayTimeout,
    ];

    public static void MapDeliveryRequests(this IEndpointRouteBuilder app)
    {
        var requests = app.MapApi(Prefix).WithTags("Delivery requests").ProducesValidationProblem();
        foreach (var refusal in Refusals)
            requests.ProducesProblem(refusal);
        requests.RequireCaller(app.ServiceProvider.GetRequiredService<IConfiguration>());

        requests.MapPost("", ScheduleDelivery.HandleAsync)
            .WithName("ScheduleDelivery").WithSummary("Accepts a delivery request once the broker has stored it.");
        requests.MapGet("/{id}", FollowDelivery.HandleAsync)
            .WithName("FollowDelivery").WithSummary("Answers 202 until the delivery is recorded, then its status.")
            .ProducesProblem(StatusCodes.Status404NotFound)
            .ProducesProblem(StatusCodes.Status409Conflict);
        requests.MapPatch("/{id}", RescheduleDelivery.HandleAsync)
            .WithName("RescheduleDelivery").WithSummary("Accepts new places or times of a delivery once the broker has stored them.")
            .ProducesProblem(StatusCodes.Status404NotFound)
            .ProducesProblem(StatusCodes.Status409Conflict);
        requests.MapDelete("/{id}", CancelDelivery.HandleAsync)
            .WithName("CancelDelivery").WithSummary("Accepts the cancellation of a delivery once the broker has stored it.")
            .ProducesProblem(StatusCodes.Status404NotFound)
            .ProducesProblem(StatusCodes.Status409Conflict);
    }
}
