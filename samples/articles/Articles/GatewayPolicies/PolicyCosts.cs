namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>CPU time of a server per request, for each policy.</summary>
/// <param name="Answer">The cost of receiving a request, checking its key, and responding.</param>
/// <param name="Forward">The cost of forwarding a request and its response.</param>
/// <param name="Body">The cost of a request body.</param>
/// <param name="Validate">The cost of validating the body.</param>
internal sealed record PolicyCost(double Answer, double Forward, double Body, double Validate)
{
    public double Total => Answer + Forward + Body + Validate;

    /// <summary>The sets of policies in the article, and one that it omitted.</summary>
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

    /// <summary>Returns the time of a rejected and of an accepted request, in milliseconds.</summary>
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

/// <summary>A pricing tier.</summary>
/// <param name="Price">The monthly price of a unit, in euros.</param>
/// <param name="Rate">The published requests per second of a unit.</param>
internal sealed record Tier(string Name, double Price, double Rate, int MostUnits);

internal sealed record Rent(Tier Tier, int Units)
{
    public double Price => Units * Tier.Price;

    public override string ToString() => $"{Units} × {Tier.Name}, €{Price:#,0.00}";
}

/// <summary>Finds the tier and the number of units with the lowest price for a rate.</summary>
/// <remarks>The costs were measured on Basic. Units of other tiers are scaled by their published rates.</remarks>
internal sealed class TierTable(Knobs knobs)
{
    // Production tiers. Developer has one server and no service level agreement.
    private readonly Tier[] _tiers = [Of("Basic", knobs), Of("Standard", knobs), Of("Premium", knobs)];

    /// <returns><c>null</c> if no tier supports the rate.</returns>
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
