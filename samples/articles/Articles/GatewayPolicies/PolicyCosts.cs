namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>The cost of each policy: CPU of a server for one request.</summary>
/// <param name="Answer">To receive it, to check its key and to answer.</param>
/// <param name="Forward">To send it on and to relay the answer.</param>
/// <param name="Body">Of a body, because it is a POST.</param>
/// <param name="Validate">To compare that body with its schema.</param>
internal sealed record PolicyCost(double Answer, double Forward, double Body, double Validate)
{
    public double Total => Answer + Forward + Body + Validate;

    /// <summary>The sets of policies that the article measured, and the one between them that it left out.</summary>
    public IReadOnlyList<(string Name, PolicyCost Cost)> Sets =>
        [
            ("return-response", this with { Forward = 0, Body = 0, Validate = 0 }),
            ("forward", this with { Body = 0, Validate = 0 }),
            ("forward, POST", this with { Validate = 0 }),
            ("forward and validate, POST", this),
        ];

    public static PolicyCost Of(Knobs knobs) =>
        new(
            Answer: knobs["policy.answer"],
            Forward: knobs["policy.forward"],
            Body: knobs["policy.body"],
            Validate: knobs["policy.validate"]
        );

    /// <summary>Milliseconds of a request that is refused, and of one that is not.</summary>
    public static (double Refused, double Accepted) OfRequest(Knobs knobs)
    {
        var cost = Of(knobs);
        var refused = cost.Answer;
        if (knobs.IsOn("request.post"))
            refused += cost.Body;
        if (knobs.IsOn("request.validate"))
            refused += cost.Validate;
        var accepted = refused;
        if (knobs.IsOn("request.forward"))
            accepted += cost.Forward;
        return (refused, accepted);
    }
}

/// <summary>A tier that can be rented.</summary>
/// <param name="Price">Euros a month, of one unit.</param>
/// <param name="Rate">Requests a second, as published for one unit.</param>
internal sealed record Tier(string Name, double Price, double Rate, int MostUnits);

internal sealed record Rent(Tier Tier, int Units)
{
    public double Price => Units * Tier.Price;

    public override string ToString() => $"{Units} × {Tier.Name}, €{Price:#,0.00}";
}

/// <summary>Which tier, and how many units of it, are the cheapest that manage a rate.</summary>
/// <remarks>The costs were measured on Basic alone. A unit of another tier manages as many times more as it is published to.</remarks>
internal sealed class TierTable(Knobs knobs)
{
    // Those of production: Developer has one server and no service level.
    private readonly Tier[] _tiers = [Of("Basic", knobs), Of("Standard", knobs), Of("Premium", knobs)];

    /// <returns>Null: no tier manages it.</returns>
    public Rent? Cheapest(double wanted, PolicyCost cost)
    {
        Rent? cheapest = null;
        foreach (var tier in _tiers)
        {
            var units = Math.Ceiling(wanted / RateOf(tier, cost));
            if (units > tier.MostUnits)
                continue;
            var rent = new Rent(tier, (int)units);
            if (cheapest is null || rent.Price < cheapest.Price)
                cheapest = rent;
        }
        return cheapest;
    }

    private double RateOf(Tier tier, PolicyCost cost)
    {
        var perBasicUnit = tier.Rate / _tiers[0].Rate;
        var most = perBasicUnit * knobs.Count("gateway.servers") * 1000 / cost.Total;
        var busy = knobs["tier.busy"] / 100;
        return most * busy;
    }

    private static Tier Of(string name, Knobs knobs)
    {
        var knob = $"tier.{name.ToLowerInvariant()}";
        var price = knobs[$"{knob}.price"];
        var rate = knobs[$"{knob}.rate"];
        var mostUnits = knobs.Count($"{knob}.units");
        return new(name, price, rate, mostUnits);
    }
}
