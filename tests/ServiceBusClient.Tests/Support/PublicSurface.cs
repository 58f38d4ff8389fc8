using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Azure.Messaging.ServiceBus.Tests.Support;

/// <summary>The public and protected members of an assembly, one line each, in the words of the SDK's published listing.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
    };

    public static IEnumerable<string> Of(Assembly assembly) => assembly.GetExportedTypes()
        .SelectMany(type => Members(type).Prepend(Kind(type)).Select(line => $"{type.FullName} | {line}"))
        .Order(StringComparer.Ordinal);

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt32(Enum.Parse(type, name), CultureInfo.InvariantCulture)}");
        return type.GetFields(Declared).Where(field => field is { IsPublic: true, IsLiteral: true }).Select(Constant)
            .Concat(type.GetConstructors(Declared).Where(IsVisible).Select(Constructor))
            .Concat(type.GetProperties(Declared).Where(property => IsVisible(property.GetMethod!)).Select(Property))
            .Concat(type.GetEvents(Declared).Select(e => $"public event {Name(e.EventHandlerType!)} {e.Name}"))
            .Concat(type.GetMethods(Declared)
                .Where(method => IsVisible(method) && (!method.IsSpecialName || IsOperator(method)))
                .Select(Method));
    }

    private static string Kind(Type type)
    {
        if (type.IsEnum)
            return "enum";
        var modifier = type.IsValueType ? "struct"
            : type is { IsAbstract: true, IsSealed: true } ? "static class"
            : type.IsSealed ? "sealed class"
            : type.IsAbstract ? "abstract class"
            : "class";
        return type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType)
            ? $"{modifier} : {Name(parent)}"
            : modifier;
    }

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsOperator(MethodInfo method) => method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static string Constant(FieldInfo field) => $"public const {Name(field.FieldType)} {field.Name} = {field.GetRawConstantValue()}";

    private static string Constructor(ConstructorInfo constructor) => $"{Access(constructor)} .ctor({Parameters(constructor)})";

    private static string Property(PropertyInfo property)
    {
        var setter = property.SetMethod is { } set && IsVisible(set) && !IsInitOnly(set) ? " set;" : "";
        return $"{Access(property.GetMethod!)} {Name(property.PropertyType)} {property.Name} {{ get;{setter} }}";
    }

    private static string Method(MethodInfo method)
    {
        var types = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : "";
        return $"{Access(method)} {Name(method.ReturnType)} {method.Name}{types}({Parameters(method)})";
    }

    private static bool IsInitOnly(MethodInfo set) => set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));

    private static string Access(MethodBase method)
    {
        var access = method.IsPublic ? "public" : method.IsFamilyOrAssembly ? "protected internal" : "protected";
        var isOverride = method is MethodInfo info && info.GetBaseDefinition().DeclaringType != info.DeclaringType;
        return isOverride ? $"{access} override"
            : method.IsAbstract ? $"{access} abstract"
            : method.IsStatic ? $"{access} static"
            : method is { IsVirtual: true, IsFinal: false } ? $"{access} virtual"
            : access;
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var value = parameter.DefaultValue switch
        {
            _ when !parameter.HasDefaultValue => "",
            null when parameter.ParameterType.IsValueType => " = default",
            null => " = null",
            var constant => string.Create(CultureInfo.InvariantCulture, $" = {constant}"),
        };
        return $"{Name(parameter.ParameterType)} {parameter.Name}{value}";
    }

    private static string Name(Type type)
    {
        if (Keywords.TryGetValue(type, out var keyword))
            return keyword;
        if (Nullable.GetUnderlyingType(type) is { } value)
            return $"{Name(value)}?";
        if (!type.IsGenericType)
            return type.Name;
        return $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
    }
}
