using System.Globalization;
using System.Text.RegularExpressions;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>The prices of settings, and how much a month of one may cost.</summary>
/// <param name="Database">Name of a size in the prices; null: the first.</param>
/// <param name="MostPerMonth">In the currency of the prices; null: any amount.</param>
internal sealed partial record Budget(PriceFile Prices, string? Database = null, double? MostPerMonth = null)
{
    private const double Most = 1e9;

    /// <param name="most">As it was typed after <c>--max-cost</c>, with the currency or without; null: any amount.</param>
    public static Budget Of(string prices, string? database, string? most)
    {
        var file = PriceFile.Load(prices);
        return new(file, database, most is null ? null : Read(most, file));
    }

    /// <summary>A month of a setting.</summary>
    public Cost CostOf(StagePlan plan, double rate) => Cost.Of(plan.AtFullLength, rate, Prices, Database);

    /// <summary>By whole amounts, as people see them.</summary>
    public bool Allows(Cost cost) => MostPerMonth is not { } most || Math.Round(cost.PerMonth) <= most;

    private static double Read(string text, PriceFile prices)
    {
        var match = AmountAndCurrency().Match(text.Trim());
        if (
            !match.Success
            || !double.TryParse(
                match.Groups[1].Value,
                NumberStyles.AllowDecimalPoint,
                CultureInfo.InvariantCulture,
                out var amount
            )
            || amount is not (> 0 and <= Most)
        )
        {
            throw new BadInputException(
                $"--max-cost {text}: expected an amount a month, above 0 and at most {NumberText.Of(Most)}."
            );
        }

        if (
            match.Groups[2].Value is { Length: > 0 } currency
            && !currency.Equals(prices.Currency, StringComparison.OrdinalIgnoreCase)
        )
        {
            throw new BadInputException($"--max-cost {text}: the prices of {prices.Name} are in {prices.Currency}.");
        }

        return amount;
    }

    [GeneratedRegex("^([0-9]+(?:\\.[0-9]+)?) *([A-Za-z]*)$")]
    private static partial Regex AmountAndCurrency();
}
