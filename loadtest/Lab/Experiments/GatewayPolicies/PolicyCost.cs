namespace DroneDelivery.Lab.Experiments;

/// <summary>What each policy costs: milliseconds of a server for one request.</summary>
/// <param name="Answer">To receive it, to look at its key and to answer.</param>
/// <param name="Forward">To send it on and to relay what comes back.</param>
/// <param name="Body">To take a body along, because it is a POST.</param>
/// <param name="Validate">To read that body and to hold it against its schema.</param>
internal sealed record PolicyCost(double Answer, double Forward, double Body, double Validate)
{
    /// <summary>The sets of policies that the article measured, and the one between them that it left out.</summary>
    public IReadOnlyList<PolicySet> Sets =>
    [
        new("return-response", this with { Forward = 0, Body = 0, Validate = 0 }),
        new("forward", this with { Body = 0, Validate = 0 }),
        new("forward, POST", this with { Validate = 0 }),
        new("forward and validate, POST", this),
    ];

    public double Total => Answer + Forward + Body + Validate;

    public static PolicyCost Of(KnobValues knobs) =>
        new(knobs["policy.answer"], knobs["policy.forward"], knobs["policy.body"], knobs["policy.validate"]);
}

internal sealed record PolicySet(string Name, PolicyCost Cost);

/// <summary>CPU of a request: of one that is answered or forwarded, and of one that is refused instead. Milliseconds.</summary>
internal sealed record RequestCost(double AcceptedMs, double RefusedMs)
{
    public static RequestCost Of(KnobValues knobs)
    {
        var cost = PolicyCost.Of(knobs);
        var refused = cost.Answer + (knobs["request.post"] > 0 ? cost.Body : 0) + (knobs["request.validate"] > 0 ? cost.Validate : 0);
        return new(refused + (knobs["request.forward"] > 0 ? cost.Forward : 0), refused);
    }
}
