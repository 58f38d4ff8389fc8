using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>A tier that can be rented.</summary>
/// <param name="Price">Euros a month, of one unit.</param>
/// <param name="Rate">Requests a second, as published for one unit.</param>
/// <param name="MostUnits">Of one instance.</param>
internal sealed record Tier(string Name, double Price, double Rate, int MostUnits);

internal sealed record Rent(Tier Tier, int Units)
{
    public double Price => Units * Tier.Price;

    public override string ToString() => $"{Units} × {Tier.Name}, €{Price:#,0.00}";
}

/// <summary>Which tier, and how many units of it, are the cheapest that manage a rate.</summary>
/// <remarks>
/// What a set of policies costs was measured on Basic alone. A unit of another tier is taken to manage as many times more as it is
/// published to.
/// </remarks>
/// <param name="basicServers">Of the tier on which the costs were measured.</param>
/// <param name="mostBusy">Share of its CPU that a server should have to do at most.</param>
internal sealed class TierTable(IReadOnlyList<Tier> tiers, int basicServers, double mostBusy)
{
    private const string Basic = "Basic";

    /// <summary>Those of production: Developer has one server and no service level.</summary>
    private static readonly string[] Names = [Basic, "Standard", "Premium"];

    private double BasicRate => tiers.Single(tier => tier.Name == Basic).Rate;

    public static TierTable Of(KnobValues knobs) =>
        new(
            [.. Names.Select(name => Of(name, $"tier.{name.ToLowerInvariant()}", knobs))],
            (int)knobs["gateway.servers"],
            knobs["tier.busy"] / 100
        );

    /// <returns>Null: no tier manages it.</returns>
    public Rent? Cheapest(double wanted, PolicyCost cost) =>
        tiers
            .Select(tier => new Rent(tier, (int)Math.Min(int.MaxValue, Math.Ceiling(wanted / RateOf(tier, cost)))))
            .Where(rent => rent.Units <= rent.Tier.MostUnits)
            .MinBy(rent => rent.Price);

    /// <summary>Requests a second of one unit.</summary>
    public double RateOf(Tier tier, PolicyCost cost) =>
        tier.Rate / BasicRate * basicServers * 1000 / cost.Total * mostBusy;

    private static Tier Of(string name, string knob, KnobValues knobs) =>
        new(name, knobs[$"{knob}.price"], knobs[$"{knob}.rate"], (int)knobs[$"{knob}.units"]);
}

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

    /// <summary>A bar for each set.</summary>
    public StackedBars Bars(string title, string says, string unit) =>
        new(
            title,
            says,
            unit,
            ["receive and answer", "forward", "body", "validate"],
            [
                .. Sets.Select(set => new StackedBar(
                    set.Name,
                    [set.Cost.Answer, set.Cost.Forward, set.Cost.Body, set.Cost.Validate]
                )),
            ]
        );

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
        var refused =
            cost.Answer
            + (knobs["request.post"] > 0 ? cost.Body : 0)
            + (knobs["request.validate"] > 0 ? cost.Validate : 0);
        return new(refused + (knobs["request.forward"] > 0 ? cost.Forward : 0), refused);
    }
}
