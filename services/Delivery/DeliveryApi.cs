using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

internal static class DeliveryApi
{
    private const string Prefix = "/api/deliveries";

    public static void MapDeliveries(this IEndpointRouteBuilder app)
    {
        var deliveries = app.MapApi(Prefix).WithTags("Deliveries");
        deliveries.MapPut("/{id}", Put)
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        deliveries.MapGet("/{id}", Get);
        deliveries.MapPatch("/{id}", Reschedule).ProducesProblem(StatusCodes.Status409Conflict);
        deliveries.MapDelete("/{id}", Cancel).ProducesProblem(StatusCodes.Status409Conflict);
        deliveries.MapGet("/{id}/owner", GetOwner);
        deliveries.MapGet("/{id}/status", GetStatus);
        deliveries.MapPost("/{id}/notifymerequests", NotifyMe);
        deliveries.MapGet("/{id}/notifymerequests", GetNotifyMe);
        deliveries.MapPost("/{id}/confirmations", Confirm).ProducesProblem(StatusCodes.Status409Conflict);
        deliveries.MapGet("/{id}/confirmations", GetConfirmation);
        deliveries.MapGet("/summary", Summarize);
    }

    /// <summary>201 for a new delivery, 200 with what is stored for a replay, 409 for the same id with other content.
    /// PATCH changes it.</summary>
    private static async Task<Results<Created<DeliveryDetails>, Ok<DeliveryDetails>, ProblemHttpResult>> Put(
        [Id] string id, DeliveryUpsert request, ChangeDelivery change, CancellationToken cancellationToken)
    {
        var (outcome, stored) = await change.CreateAsync(id, request, cancellationToken);
        return outcome switch
        {
            ChangeOutcome.Created => TypedResults.Created($"{Prefix}/{id}", stored!.Delivery),
            ChangeOutcome.Unchanged => TypedResults.Ok(stored!.Delivery),
            _ => Conflict("urn:drone-delivery:other-request", $"Delivery '{id}' exists with other content; PATCH changes it."),
        };
    }

    private static async Task<Results<Ok<DeliveryDetails>, NotFound>> Get(
        [Id] string id, DeliveryStore store, CancellationToken cancellationToken) =>
        await store.FindAsync(id, cancellationToken) is var (stored, _) ? TypedResults.Ok(stored.Delivery) : TypedResults.NotFound();

    private static async Task<Results<Ok<DeliveryDetails>, NotFound, ProblemHttpResult>> Reschedule(
        [Id] string id, DeliveryReschedule request, ChangeDelivery change, CancellationToken cancellationToken)
    {
        var (outcome, stored) = await change.RescheduleAsync(id, request, cancellationToken);
        return outcome switch
        {
            ChangeOutcome.Unknown => TypedResults.NotFound(),
            ChangeOutcome.Over => Over(id),
            _ => TypedResults.Ok(stored!.Delivery),
        };
    }

    /// <summary>204, again for a replay. The delivery stays readable, with the stage Cancelled.</summary>
    private static async Task<Results<NoContent, NotFound, ProblemHttpResult>> Cancel(
        [Id] string id, ChangeDelivery change, CancellationToken cancellationToken)
    {
        var (outcome, _) = await change.CancelAsync(id, cancellationToken);
        return outcome switch
        {
            ChangeOutcome.Unknown => TypedResults.NotFound(),
            ChangeOutcome.Over => Over(id),
            _ => TypedResults.NoContent(),
        };
    }

    private static async Task<Results<Ok<DeliveryOwner>, NotFound>> GetOwner(
        [Id] string id, DeliveryStore store, CancellationToken cancellationToken) =>
        await store.FindAsync(id, cancellationToken) is var (stored, _)
            ? TypedResults.Ok(new DeliveryOwner { OwnerId = stored.Delivery.OwnerId })
            : TypedResults.NotFound();

    private static async Task<Results<Ok<DeliveryStatus>, NotFound>> GetStatus(
        [Id] string id, DeliveryStore store, TimeProvider time, CancellationToken cancellationToken)
    {
        if (await store.FindAsync(id, cancellationToken) is not var (stored, _))
            return TypedResults.NotFound();
        var events = await store.GetEventsAsync(id, cancellationToken);
        return TypedResults.Ok(DeliveryProgress.StatusOf(stored, events, time.GetUtcNow()));
    }

    /// <summary>204, again for a replay, which is kept once.</summary>
    private static async Task<Results<NoContent, NotFound>> NotifyMe(
        [Id] string id, NotifyMeRequest request, DeliveryStore store, CancellationToken cancellationToken) =>
        await store.AddNotifyMeAsync(id, request, cancellationToken) ? TypedResults.NoContent() : TypedResults.NotFound();

    private static async Task<Results<Ok<IReadOnlyList<NotifyMeRequest>>, NotFound>> GetNotifyMe(
        [Id] string id, DeliveryStore store, CancellationToken cancellationToken) =>
        await store.FindAsync(id, cancellationToken) is null
            ? TypedResults.NotFound()
            : TypedResults.Ok(await store.GetNotifyMeAsync(id, cancellationToken));

    /// <summary>200, again for a replay; the delivery is completed.</summary>
    private static async Task<Results<Ok, NotFound, ValidationProblem, ProblemHttpResult>> Confirm(
        [Id] string id, DeliveryConfirmation confirmation, ChangeDelivery change, CancellationToken cancellationToken)
    {
        var (outcome, stored) = await change.ConfirmAsync(id, confirmation, cancellationToken);
        return outcome switch
        {
            ChangeOutcome.Unknown => TypedResults.NotFound(),
            ChangeOutcome.Over => Over(id),
            ChangeOutcome.WrongConfirmation => TypedResults.ValidationProblem(new Dictionary<string, string[]>
            {
                ["confirmationType"] = [$"Must be {stored!.Delivery.ConfirmationRequired}, as the delivery requires."],
            }),
            _ => TypedResults.Ok(),
        };
    }

    private static async Task<Results<Ok<DeliveryConfirmation>, NotFound>> GetConfirmation(
        [Id] string id, DeliveryStore store, CancellationToken cancellationToken) =>
        await store.FindConfirmationAsync(id, cancellationToken) is { } confirmation
            ? TypedResults.Ok(confirmation)
            : TypedResults.NotFound();

    private static async Task<Ok<DeliverySummary>> Summarize(
        [Id] string ownerId,
        [Range(1, 9999)] int year,
        [Range(1, 12)] int month,
        DeliveryStore store,
        CancellationToken cancellationToken) =>
        TypedResults.Ok(new DeliverySummary { Count = await store.CountAsync(ownerId, year, month, cancellationToken) });

    private static ProblemHttpResult Over(string id) => Conflict("urn:drone-delivery:over", $"Delivery '{id}' is completed or cancelled.");

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
