using System.Globalization;
using System.Numerics;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>Values of expressions: long, double, decimal, string, bool, Guid, DateTimeOffset, TimeSpan, and others that are equal to
/// themselves alone. Null is unknown.</summary>
internal static class SqlValue
{
    // An action could double a text with every step.
    private const int LongestText = 65_536;

    public static object? Of(object? value) =>
        value switch
        {
            sbyte or byte or short or ushort or int or uint => Convert.ToInt64(value, CultureInfo.InvariantCulture),
            ulong number => number <= long.MaxValue ? (long)number : (decimal)number,
            float number => (double)number,
            System.Text.Rune or char => value.ToString(),
            DateTime time => new DateTimeOffset(time.ToUniversalTime()),
            _ => value,
        };

    /// <summary>Null: unknown. Values of different kinds are not equal.</summary>
    public static bool? AreEqual(object? left, object? right)
    {
        if (left is null || right is null)
            return null;
        return IsNumber(left) && IsNumber(right) ? Order(left, right) == 0 : left.Equals(right);
    }

    /// <summary>Below 0, 0 or above, or NaN: no comparison with what is no number holds. Null: unknown.</summary>
    /// <exception cref="FilterException">The values have no order among each other.</exception>
    public static double? Order(object? left, object? right) =>
        (left, right) switch
        {
            (null, _) or (_, null) => null,
            (string one, string other) => string.CompareOrdinal(one, other),
            (DateTimeOffset one, DateTimeOffset other) => one.CompareTo(other),
            (TimeSpan one, TimeSpan other) => one.CompareTo(other),
            (double or decimal or long, double or decimal or long) => OrderNumbers(left, right),
            _ => throw new FilterException($"{KindOf(left)} and {KindOf(right)} have no order."),
        };

    /// <exception cref="FilterException">No numbers, a result that is too large, or a division by zero.</exception>
    public static object? Calculate(char operation, object? left, object? right)
    {
        if (left is null || right is null)
            return null;
        if (operation == '+' && left is string text && right is string more)
            return Join(text, more);
        if (!IsNumber(left) || !IsNumber(right))
            throw new FilterException($"There is no {KindOf(left)} {operation} {KindOf(right)}.");
        try
        {
            return (left, right) switch
            {
                (double, _) or (_, double) => (object)Of(operation, ToDouble(left), ToDouble(right)),
                (decimal, _) or (_, decimal) => Of(operation, ToDecimal(left), ToDecimal(right)),
                _ => Of(operation, (long)left, (long)right),
            };
        }
        catch (ArithmeticException error)
        {
            throw new FilterException(error.Message);
        }
    }

    private static string Join(string text, string more) =>
        text.Length + more.Length <= LongestText
            ? text + more
            : throw new FilterException($"A text would have more than {LongestText} characters.");

    private static bool IsNumber(object value) => value is long or double or decimal;

    private static double OrderNumbers(object left, object right) =>
        (left, right) switch
        {
            (double, _) or (_, double) => OrderDoubles(ToDouble(left), ToDouble(right)),
            (decimal, _) or (_, decimal) => ToDecimal(left).CompareTo(ToDecimal(right)),
            _ => ((long)left).CompareTo((long)right),
        };

    private static double OrderDoubles(double left, double right) =>
        double.IsNaN(left) || double.IsNaN(right) ? double.NaN : left.CompareTo(right);

    private static T Of<T>(char operation, T left, T right)
        where T : INumber<T> =>
        operation switch
        {
            '+' => checked(left + right),
            '-' => checked(left - right),
            '*' => checked(left * right),
            '/' => left / right,
            // Of the smallest integer the machine cannot say so.
            _ => right == -T.One && T.IsInteger(left) ? T.Zero : left % right,
        };

    private static double ToDouble(object number) => Convert.ToDouble(number, CultureInfo.InvariantCulture);

    private static decimal ToDecimal(object number) => Convert.ToDecimal(number, CultureInfo.InvariantCulture);

    private static string KindOf(object value) =>
        value switch
        {
            long => "a whole number",
            double or decimal => "a number",
            string => "a string",
            bool => "a boolean",
            DateTimeOffset => "a time",
            TimeSpan => "a duration",
            _ => $"a {value.GetType().Name}",
        };
}

/// <summary>A filter or an action cannot be applied to a message.</summary>
internal sealed class FilterException(string message) : Exception(message);
