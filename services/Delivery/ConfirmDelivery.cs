using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>
/// <c>POST /api/deliveries/{id}/confirmations</c>: 200, again for a replay; the delivery is completed. 400 for another kind of confirmation
/// than the delivery requires, 409 for a cancelled delivery.
/// </summary>
internal static class ConfirmDelivery
{
    public static async Task<Results<Ok, NotFound, ValidationProblem, ProblemHttpResult>> HandleAsync(
        [Id] string id, DeliveryConfirmation confirmation, ChangeDelivery change, DeliveryStore store, CancellationToken cancellationToken)
    {
        var result = await change.RunAsync(
            id, DeliveryStage.Completed, (old, now) => Completed(old, confirmation, now), cancellationToken);
        if (result is ChangeResult.Done(var completed))
            await store.AddConfirmationAsync(completed, confirmation, cancellationToken);
        return result switch
        {
            ChangeResult.Done => TypedResults.Ok(),
            ChangeResult.Over => DeliveryConflict.Over(id),
            ChangeResult.Failed => DeliveryConflict.Failed(id),
            ChangeResult.WrongConfirmation(var required) => TypedResults.ValidationProblem(new Dictionary<string, string[]>
            {
                ["confirmationType"] = [$"Must be {required}, as the delivery requires."],
            }),
            ChangeResult.Unknown => TypedResults.NotFound(),
            _ => throw new UnreachableException($"No answer says {result}."),
        };
    }

    private static ChangeResult Completed(StoredDelivery old, DeliveryConfirmation confirmation, DeliveryEvent now) => old switch
    {
        { Closed.Stage: DeliveryStage.Completed } => new ChangeResult.Done(old),
        { Closed: not null } => new ChangeResult.Over(),
        { Delivery.ConfirmationRequired: var required }
            when required is not ConfirmationType.None && required != confirmation.ConfirmationType =>
            new ChangeResult.WrongConfirmation(required),
        _ => new ChangeResult.Done(old with { Closed = now }),
    };
}
