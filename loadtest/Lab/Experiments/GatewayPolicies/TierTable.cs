namespace DroneDelivery.Lab.Experiments;

/// <summary>A tier that can be rented.</summary>
/// <param name="Price">Euros a month, of one unit.</param>
/// <param name="Rate">Requests a second, as published for one unit.</param>
/// <param name="MostUnits">Of one instance.</param>
internal sealed record Tier(string Name, double Price, double Rate, int MostUnits);

/// <param name="Rate">Requests a second that they manage together.</param>
internal sealed record Rent(Tier Tier, int Units, double Rate)
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

    public static TierTable Of(KnobValues knobs) => new(
        [.. Names.Select(name => Of(name, $"tier.{name.ToLowerInvariant()}", knobs))],
        (int)knobs["gateway.servers"],
        knobs["tier.busy"] / 100);

    /// <returns>Null: no tier manages it.</returns>
    public Rent? Cheapest(double wanted, PolicyCost cost) => tiers
        .Select(tier => Rent(tier, wanted, cost))
        .Where(rent => rent.Units <= rent.Tier.MostUnits)
        .MinBy(rent => rent.Price);

    /// <summary>Requests a second of one unit.</summary>
    public double RateOf(Tier tier, PolicyCost cost) => tier.Rate / BasicRate * basicServers * 1000 / cost.Total * mostBusy;

    private Rent Rent(Tier tier, double wanted, PolicyCost cost)
    {
        var rate = RateOf(tier, cost);
        var units = (int)Math.Min(int.MaxValue, Math.Ceiling(wanted / rate));
        return new(tier, units, units * rate);
    }

    private static Tier Of(string name, string knob, KnobValues knobs) =>
        new(name, knobs[$"{knob}.price"], knobs[$"{knob}.rate"], (int)knobs[$"{knob}.units"]);
}
