using System.Collections;
using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;
using System.Reflection;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>
/// Checks validation attributes of records and classes, of what is inside them and of the elements of collections and dictionaries, and
/// names each failing field by its path. (The framework's own validator stops at the first level, or works only for the endpoints of a
/// web application; a queue listener needs the same answers.)
/// </summary>
public static partial class RecordValidator
{
    // Nothing read from JSON is deeper; an object that contains itself must not take the process with it.
    private const int MostLevels = 64;

    private static readonly ConcurrentDictionary<Type, Member[]> Types = new();

    /// <summary>Errors by JSON path (<c>packageInfo.weight</c>, <c>items[2].weight</c>, <c>$</c>); empty when all is well.</summary>
    public static IDictionary<string, string[]> Validate(object value) =>
        ErrorsIn(value, JsonNamingPolicy.CamelCase.ConvertName, 0)
            .GroupBy(error => JsonPath(error.Path), error => error.Message)
            .ToDictionary(path => path.Key, path => path.ToArray());

    /// <summary>Errors by their path in the configuration: <c>:Items:2:Weight</c>.</summary>
    internal static IEnumerable<(string Path, string Message)> ErrorsInOptions(object options) =>
        ErrorsIn(options, name => name, 0);

    private static IEnumerable<(string Path, string Message)> ErrorsIn(
        object? value,
        Func<string, string> nameOf,
        int level
    ) =>
        value is null || level > MostLevels || IsLeaf(value.GetType()) ? []
        : value is IDictionary entries
            ? entries.Keys.Cast<object>().SelectMany(key => Inside($"{key}", entries[key], nameOf, level))
        : value is IEnumerable elements
            ? elements.Cast<object?>().SelectMany((element, i) => Inside($"{i}", element, nameOf, level))
        : ErrorsOf(value, nameOf, level);

    private static IEnumerable<(string Path, string Message)> Inside(
        string name,
        object? value,
        Func<string, string> nameOf,
        int level
    ) => ErrorsIn(value, nameOf, level + 1).Select(error => ($":{name}{error.Path}", error.Message));

    /// <summary>No iterator, and no name before there is an error: nearly every request is right, and there are many.</summary>
    private static List<(string Path, string Message)> ErrorsOf(object owner, Func<string, string> nameOf, int level)
    {
        List<(string Path, string Message)> errors = [];
        foreach (var (property, rules, isLeaf) in Types.GetOrAdd(owner.GetType(), MembersOf))
        {
            var value = property.GetValue(owner);
            foreach (var rule in rules)
            {
                if (FailureOf(rule, value, owner, property.Name, nameOf) is { } failure)
                    errors.Add(($":{nameOf(property.Name)}", failure));
            }
            foreach (var (path, message) in isLeaf ? [] : ErrorsIn(value, nameOf, level + 1))
                errors.Add(($":{nameOf(property.Name)}{path}", message));
        }
        foreach (var failure in (owner as IValidatableObject)?.Validate(new(owner)).OfType<ValidationResult>() ?? []) // Success is null
        {
            errors.Add(
                (failure.MemberNames.FirstOrDefault() is { } member ? $":{nameOf(member)}" : "", failure.ErrorMessage!)
            );
        }

        return errors;
    }

    private static string? FailureOf(
        ValidationAttribute rule,
        object? value,
        object owner,
        string member,
        Func<string, string> nameOf
    ) =>
        !rule.RequiresValidationContext && rule.IsValid(value)
            ? null
            : rule.GetValidationResult(
                value,
                new(owner) { MemberName = member, DisplayName = nameOf(member) }
            )?.ErrorMessage;

    private static Member[] MembersOf(Type type) =>
        [
            .. from property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            where property.GetIndexParameters().Length == 0
            let member = new Member(property, [.. RulesOf(property, type)], IsLeaf(property.PropertyType))
            where member.Rules.Length > 0 || !member.IsLeaf
            select member,
        ];

    // An attribute before a positional record's parameter is the parameter's, not the property's.
    private static IEnumerable<ValidationAttribute> RulesOf(PropertyInfo property, Type type) =>
        property
            .GetCustomAttributes<ValidationAttribute>()
            .Concat(
                from constructor in type.GetConstructors()
                from parameter in constructor.GetParameters()
                where parameter.Name == property.Name && parameter.ParameterType == property.PropertyType
                from rule in parameter.GetCustomAttributes<ValidationAttribute>()
                select rule
            );

    private static string JsonPath(string path) =>
        path.Length == 0 ? "$" : Element().Replace(path, "[$1]").TrimStart(':').Replace(':', '.');

    [GeneratedRegex(@":(\d+)(?=:|$)")]
    private static partial Regex Element();

    /// <summary>What the framework defines has no attributes of ours, unless it has elements.</summary>
    private static bool IsLeaf(Type type) =>
        Nullable.GetUnderlyingType(type) is { } value ? IsLeaf(value)
        : type.IsArray ? IsLeaf(type.GetElementType()!)
        : type.IsEnum
            || type == typeof(string)
            || (IsOfTheFramework(type) && !type.IsAssignableTo(typeof(IEnumerable)));

    private static bool IsOfTheFramework(Type type) =>
        type.Namespace is "System"
        || (type.Namespace?.StartsWith("System.", StringComparison.Ordinal) ?? false)
        || (type.Namespace?.StartsWith("Microsoft.", StringComparison.Ordinal) ?? false);

    private sealed record Member(PropertyInfo Property, ValidationAttribute[] Rules, bool IsLeaf);
}
