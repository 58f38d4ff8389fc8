using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Status;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Delivery;

internal enum ChangeOutcome { Created, Unchanged, Changed, OtherRequest, Over, WrongConfirmation, Unknown }

/// <summary>Everything that may happen to a delivery. Each is harmless when repeated.</summary>
internal sealed class ChangeDelivery(DeliveryStore store, TimeProvider time)
{
    private static readonly Fingerprint Requests = new(nameof(DeliveryUpsert.Expedited), nameof(DeliveryUpsert.ConfirmationRequired));

    public async Task<(ChangeOutcome Outcome, StoredDelivery? Stored)> CreateAsync(
        string id, DeliveryUpsert request, CancellationToken cancellationToken)
    {
        var added = new StoredDelivery { Delivery = DetailsOf(id, request), Request = FingerprintOf(request) };
        return await store.AddAsync(added, Event(DeliveryStage.Created), cancellationToken) switch
        {
            null => (ChangeOutcome.Created, added),
            { } existing when existing.Request == added.Request => (ChangeOutcome.Unchanged, existing),
            { } existing => (ChangeOutcome.OtherRequest, existing),
        };
    }

    public Task<(ChangeOutcome Outcome, StoredDelivery? Stored)> RescheduleAsync(
        string id, DeliveryReschedule request, CancellationToken cancellationToken) =>
        ChangeAsync(id, DeliveryStage.Rescheduled, (old, now) => DeliveryProgress.IsOver(old, now.Time)
            ? (ChangeOutcome.Over, old)
            : Rescheduled(old, request) is { } changed && changed != old
                ? (ChangeOutcome.Changed, changed)
                : (ChangeOutcome.Unchanged, old), cancellationToken);

    public Task<(ChangeOutcome Outcome, StoredDelivery? Stored)> CancelAsync(string id, CancellationToken cancellationToken) =>
        ChangeAsync(id, DeliveryStage.Cancelled, (old, now) => old.Closed is { Stage: DeliveryStage.Cancelled }
            ? (ChangeOutcome.Unchanged, old)
            : DeliveryProgress.IsOver(old, now.Time)
                ? (ChangeOutcome.Over, old)
                : (ChangeOutcome.Changed, old with { Closed = now }), cancellationToken);

    public async Task<(ChangeOutcome Outcome, StoredDelivery? Stored)> ConfirmAsync(
        string id, DeliveryConfirmation confirmation, CancellationToken cancellationToken)
    {
        var result = await ChangeAsync(id, DeliveryStage.Completed, (old, now) => old switch
        {
            { Closed.Stage: DeliveryStage.Completed } => (ChangeOutcome.Unchanged, old),
            { Closed: not null } => (ChangeOutcome.Over, old),
            { Delivery.ConfirmationRequired: var required }
                when required is not ConfirmationType.None && required != confirmation.ConfirmationType =>
                (ChangeOutcome.WrongConfirmation, old),
            _ => (ChangeOutcome.Changed, old with { Closed = now }),
        }, cancellationToken);
        if (result.Outcome is ChangeOutcome.Changed or ChangeOutcome.Unchanged)
            await store.AddConfirmationAsync(result.Stored!, confirmation, cancellationToken);
        return result;
    }

    private async Task<(ChangeOutcome Outcome, StoredDelivery? Stored)> ChangeAsync(
        string id,
        DeliveryStage stage,
        Func<StoredDelivery, DeliveryEvent, (ChangeOutcome, StoredDelivery)> change,
        CancellationToken cancellationToken)
    {
        // Whoever loses the race against another change starts again from what that one stored.
        while (await store.FindAsync(id, cancellationToken) is var (stored, json))
        {
            var what = Event(stage);
            var (outcome, changed) = change(stored, what);
            if (outcome != ChangeOutcome.Changed || await store.TryReplaceAsync(json, stored, changed, what, cancellationToken))
                return (outcome, changed);
        }
        return (ChangeOutcome.Unknown, null);
    }

    private DeliveryEvent Event(DeliveryStage stage) => new() { Stage = stage, Time = time.GetUtcNow() };

    /// <summary>What the client asked for. Drone and flight plan follow from it, and may be others in a replay that comes after
    /// a reschedule.</summary>
    private static string FingerprintOf(DeliveryUpsert request) => Requests.Of(new
    {
        request.OwnerId,
        request.Pickup,
        request.Dropoff,
        request.PickupTime,
        request.Deadline,
        request.Expedited,
        request.ConfirmationRequired,
        request.PackageId,
    });

    private static DeliveryDetails DetailsOf(string id, DeliveryUpsert request) => new()
    {
        Id = id,
        OwnerId = request.OwnerId,
        Pickup = request.Pickup,
        Dropoff = request.Dropoff,
        PickupTime = request.PickupTime,
        Deadline = request.Deadline,
        Expedited = request.Expedited,
        ConfirmationRequired = request.ConfirmationRequired,
        PackageId = request.PackageId,
        DroneId = request.DroneId,
        FlightPlan = request.FlightPlan,
    };

    /// <summary>The deadline is no part of the assignment, so it is taken even if the assignment was overtaken on its way.</summary>
    private static StoredDelivery Rescheduled(StoredDelivery old, DeliveryReschedule request)
    {
        var moved = WithDeadline(old, request);
        return request.Revision < old.Revision
            ? moved
            : moved with { Delivery = Reassigned(moved.Delivery, request), Revision = request.Revision ?? old.Revision };
    }

    private static StoredDelivery WithDeadline(StoredDelivery old, DeliveryReschedule request) =>
        request.Deadline is not { } deadline || request.AcceptedAt < old.DeadlineAcceptedAt
            ? old
            : old with
            {
                Delivery = old.Delivery with { Deadline = deadline },
                DeadlineAcceptedAt = request.AcceptedAt ?? old.DeadlineAcceptedAt,
            };

    private static DeliveryDetails Reassigned(DeliveryDetails old, DeliveryReschedule request) => old with
    {
        Pickup = request.Pickup ?? old.Pickup,
        Dropoff = request.Dropoff ?? old.Dropoff,
        PickupTime = request.PickupTime ?? old.PickupTime,
        DroneId = request.DroneId ?? old.DroneId,
        FlightPlan = request.FlightPlan ?? old.FlightPlan,
    };
}
