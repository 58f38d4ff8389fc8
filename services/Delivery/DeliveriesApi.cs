using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

internal static class DeliveriesApi
{
    public const string Prefix = "/api/deliveries";

    public static void MapDeliveries(this IEndpointRouteBuilder app)
    {
        var deliveries = app.MapApi(Prefix).WithTags("Deliveries").ProducesValidationProblem();
        deliveries.MapGroup("").ProducesProblem(StatusCodes.Status409Conflict).MapChanges();
        deliveries.MapQueries();
        app.MapApi(Prefix, CallerPolicies.Device).MapConfirm();
    }

    private static void MapConfirm(this RouteGroupBuilder devices) =>
        devices
            .MapPost("/{id}/confirmations", ConfirmDelivery.HandleAsync)
            .AddEndpointFilter<ConfirmationTokens>()
            .WithName("ConfirmDelivery")
            .WithTags("Deliveries")
            .WithSummary("Stores the confirmation of a delivery, which completes it.")
            .WithDescription($"Requires the header {ConfirmationTokens.Header} if Confirmation:Key is set.")
            .ProducesValidationProblem()
            .ProducesProblem(StatusCodes.Status403Forbidden)
            .ProducesProblem(StatusCodes.Status409Conflict);

    private static void MapChanges(this RouteGroupBuilder deliveries)
    {
        deliveries
            .MapPut("/{id}", RecordDelivery.HandleAsync)
            .WithName("RecordDelivery")
            .WithSummary("Records a delivery under its id.");
        deliveries
            .MapPatch("/{id}", RescheduleDelivery.HandleAsync)
            .WithName("RescheduleDelivery")
            .WithSummary("Changes the places, times, or drone of a delivery in progress.");
        deliveries
            .MapDelete("/{id}", CancelDelivery.HandleAsync)
            .WithName("CancelDelivery")
            .WithSummary("Cancels a delivery in progress.");
        deliveries
            .MapPut("/{id}/failure", FailDelivery.HandleAsync)
            .WithName("FailDelivery")
            .WithSummary("Records why the request for a delivery failed.");
    }

    private static void MapQueries(this RouteGroupBuilder deliveries)
    {
        deliveries.MapGet("/{id}", Get).WithName("GetDelivery").WithSummary("Returns a delivery.");
        deliveries.MapGet("/{id}/owner", GetOwner).WithName("GetOwner").WithSummary("Returns the owner of a delivery.");
        deliveries
            .MapGet("/{id}/status", GetStatus)
            .WithName("GetStatus")
            .WithSummary("Returns the status of a delivery.");
        deliveries
            .MapGet("/{id}/confirmations", GetConfirmation)
            .WithName("GetConfirmation")
            .WithSummary("Returns the confirmation of a delivery.");
        deliveries
            .MapGet("/summary", Summarize)
            .WithName("SummarizeDeliveries")
            .WithSummary("Counts the deliveries of an owner in a month.");
    }

    private static async Task<Results<Ok<DeliveryDetails>, NotFound>> Get(
        [Id] string id,
        DeliveryStore store,
        CancellationToken cancellationToken
    ) =>
        await store.FindAsync(id, cancellationToken) is (StoredDelivery stored, _)
            ? TypedResults.Ok(stored.Delivery)
            : TypedResults.NotFound();

    private static async Task<Results<Ok<DeliveryOwner>, NotFound>> GetOwner(
        [Id] string id,
        DeliveryStore store,
        CancellationToken cancellationToken
    ) =>
        await store.FindAsync(id, cancellationToken) switch
        {
            (StoredDelivery stored, _) => TypedResults.Ok(new DeliveryOwner { OwnerId = stored.Delivery.OwnerId }),
            (StoredFailure failed, _) => TypedResults.Ok(new DeliveryOwner { OwnerId = failed.OwnerId }),
            _ => TypedResults.NotFound(),
        };

    private static async Task<Results<Ok<DeliveryStatus>, NotFound>> GetStatus(
        [Id] string id,
        DeliveryStore store,
        TimeProvider time,
        ConfirmationTokens tokens,
        CancellationToken cancellationToken
    )
    {
        if (await store.FindAsync(id, cancellationToken) is not ({ } stored, _))
            return TypedResults.NotFound();
        var events = await store.GetEventsAsync(id, cancellationToken);
        var status = DeliveryProgress.StatusOf(id, stored, events, time.GetUtcNow());
        return TypedResults.Ok(status with { ConfirmationToken = tokens.Create(id) });
    }

    private static async Task<Results<Ok<DeliveryConfirmation>, NotFound>> GetConfirmation(
        [Id] string id,
        DeliveryStore store,
        CancellationToken cancellationToken
    ) =>
        await store.FindConfirmationAsync(id, cancellationToken) is { } confirmation
            ? TypedResults.Ok(confirmation)
            : TypedResults.NotFound();

    private static async Task<Ok<DeliverySummary>> Summarize(
        [Id] string ownerId,
        [Range(1, 9999)] int year,
        [Range(1, 12)] int month,
        DeliveryStore store,
        CancellationToken cancellationToken
    ) =>
        TypedResults.Ok(
            new DeliverySummary { Count = await store.CountAsync(ownerId, year, month, cancellationToken) }
        );
}
