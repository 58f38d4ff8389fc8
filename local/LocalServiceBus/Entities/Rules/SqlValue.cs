using System.Globalization;
using System.Numerics;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>Values of expressions: long, double, decimal, string, bool, Guid, DateTimeOffset, TimeSpan, and other types
/// that support only equality; <c>null</c> is unknown.</summary>
internal static class SqlValue
{
    // Limits actions that double a string with every statement.
    private const int MaxTextLength = 65_536;

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

    /// <summary><c>null</c> is unknown. Values of different kinds aren't equal.</summary>
    public static bool? AreEqual(object? left, object? right)
    {
        if (left is null || right is null)
            return null;
        return IsNumber(left) && IsNumber(right) ? Order(left, right) == 0 : left.Equals(right);
    }

    /// <summary>Compares two values. Returns a negative number, 0, or a positive number; NaN if a number is NaN, so
    /// that every comparison is false; <c>null</c> if unknown.</summary>
    public static double? Order(object? left, object? right) =>
        (left, right) switch
        {
            (null, _) or (_, null) => null,
            (string one, string other) => string.CompareOrdinal(one, other),
            (DateTimeOffset one, DateTimeOffset other) => one.CompareTo(other),
            (TimeSpan one, TimeSpan other) => one.CompareTo(other),
            (double or decimal or long, double or decimal or long) => OrderNumbers(left, right),
            _ => throw new FilterException($"Cannot compare {KindOf(left)} with {KindOf(right)}."),
        };

    /// <exception cref="FilterException">The operands aren't numbers, the result is out of range, or the divisor is
    /// zero.</exception>
    public static object? Calculate(char operation, object? left, object? right)
    {
        if (left is null || right is null)
            return null;
        if (operation == '+' && left is string text && right is string more)
            return Join(text, more);
        if (!IsNumber(left) || !IsNumber(right))
            throw new FilterException($"Operator {operation} does not support {KindOf(left)} and {KindOf(right)}.");
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
        text.Length + more.Length <= MaxTextLength
            ? text + more
            : throw new FilterException($"The result would be a string of more than {MaxTextLength} characters.");

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
            // Avoids the overflow of the smallest integer modulo -1.
            _ => right == -T.One && T.IsInteger(left) ? T.Zero : left % right,
        };

    private static double ToDouble(object number) => Convert.ToDouble(number, CultureInfo.InvariantCulture);

    private static decimal ToDecimal(object number) => Convert.ToDecimal(number, CultureInfo.InvariantCulture);

    private static string KindOf(object value) =>
        value switch
        {
            long => "an integer",
            double or decimal => "a number",
            string => "a string",
            bool => "a Boolean",
            DateTimeOffset => "a time",
            TimeSpan => "a duration",
            _ => $"a {value.GetType().Name}",
        };
}

/// <summary>The exception that is thrown when a filter or action can't be applied to a message.</summary>
internal sealed class FilterException(string message) : Exception(message);
