-- SPDX-License-Identifier: BSD-2-Clause
-- Wavetank's kit for Wireshark: the option of TCP-Real, and why a frame was dropped.
-- Installed by `wavetank wireshark install`; documented in wavetank-wireshark(1).
--
-- The option has kind 253 (RFC 4727) and two forms: "exid6" with an experiment identifier (RFC 6994), and the paper's four bytes, "paper4".
-- In a SYN the value is: 4 bits version, 4 bits unit shift, 8 bits of offers. In any other segment it is the level that the receiver
-- announces: its peer may have level * (2 << unit shift) segments under way. 0: no opinion.

local KIND = 253
local EXID = 0x5452 -- "TR"
local UNIT = 2 -- segments per level before the unit shift
local SHIFT_MAX = 8

---- the option ------------------------------------------------------------------------------------------------

local real = Proto("tcpreal", "TCP-Real")
local f = {
	exid = ProtoField.uint16("tcpreal.exid", "Experiment identifier", base.HEX),
	level = ProtoField.uint16("tcpreal.level", "Level announced"),
	change = ProtoField.int32("tcpreal.change", "Change since the last level of this direction"),
	window = ProtoField.uint32("tcpreal.window", "Window of this level, in segments"),
	version = ProtoField.uint16("tcpreal.version", "Version", base.DEC, nil, 0xf000),
	shift = ProtoField.uint16("tcpreal.shift", "Unit shift", base.DEC, nil, 0x0f00),
	obeys = ProtoField.bool("tcpreal.obeys", "As sender I obey levels", 16, nil, 0x0002),
	announces = ProtoField.bool("tcpreal.announces", "As receiver I announce levels", 16, nil, 0x0001),
}
real.fields = {f.exid, f.level, f.change, f.window, f.version, f.shift, f.obeys, f.announces}
real.prefs.exid = Pref.uint("Experiment identifier", EXID, "What cc parameter exid says; 21586 (0x5452) unless it was given")
real.prefs.paper4 = Pref.bool("Four bytes are TCP-Real's", true, "Take an option of kind 253 and length 4 for the paper's form")

local syn_of = Field.new("tcp.flags.syn")
local stream_of = Field.new("tcp.stream")
local port_of = Field.new("tcp.srcport")

local function last(field)
	local all = {field()}
	local one = all[#all]
	return one and one.value
end

-- What is known of connections and packets: Wireshark dissects a packet as often as it likes, so what hangs on its predecessors
-- is computed in the first pass and kept by packet number.
local shifts, levels, seen = {}, {}, {}

function real.init()
	shifts, levels, seen = {}, {}, {}
end

-- Of the stream and both of its ends: the smaller unit shift offered is in force.
local function note_shift(stream, shift)
	shifts[stream] = math.min(shifts[stream] or SHIFT_MAX, shift, SHIFT_MAX)
end

local function note_level(pinfo, stream, port, level)
	local way = stream .. "/" .. port

	if not pinfo.visited then
		seen[pinfo.number] = {level - (levels[way] or level), UNIT * 2 ^ (shifts[stream] or 0)}
		levels[way] = level
	end
	return seen[pinfo.number] or {0, UNIT}
end

local function add_offer(tree, range, pinfo, stream)
	local value = range:uint()

	note_shift(stream, bit32.extract(value, 8, 4))
	tree:add(f.version, range)
	tree:add(f.shift, range)
	tree:add(f.obeys, range)
	tree:add(f.announces, range)
	tree:append_text(", offer")
end

local function add_level(tree, range, pinfo, stream, port)
	local level = range:uint()
	local note = note_level(pinfo, stream, port, level)

	tree:add(f.level, range)
	if level == 0 then
		tree:append_text(", no opinion")
		return
	end
	tree:add(f.change, note[1]):set_generated()
	tree:add(f.window, level * note[2]):set_generated()
	tree:append_text(", level " .. level)
	pinfo.cols.info:append(" Level=" .. level .. (note[1] ~= 0 and string.format(" (%+d)", note[1]) or ""))
end

local options = DissectorTable.get("tcp.option")
local standard = options:get_dissector(KIND)

-- Where the value stands; nil: another experiment's option.
local function value_of(tvb)
	if tvb:reported_length_remaining() >= 6 and tvb(1, 1):uint() == 6 and tvb(2, 2):uint() == real.prefs.exid then
		return 4
	elseif tvb:reported_length_remaining() >= 4 and tvb(1, 1):uint() == 4 and real.prefs.paper4 then
		return 2
	end
end

function real.dissector(tvb, pinfo, tree)
	local at = value_of(tvb)

	if not at then
		return standard and standard:call(tvb, pinfo, tree) or 0
	end
	local stream = last(stream_of) or 0
	local branch = tree:add(real, tvb(0, at + 2))
	if at == 4 then
		branch:add(f.exid, tvb(2, 2))
	end
	if last(syn_of) then
		add_offer(branch, tvb(at, 2), pinfo, stream)
	else
		add_level(branch, tvb(at, 2), pinfo, stream, last(port_of) or 0)
	end
	return at + 2
end

options:add(KIND, real)

---- the drops -------------------------------------------------------------------------------------------------

-- A frame that was dropped has the packet comment "dropped: CAUSE at NODE".
local drop = Proto("wavetank", "Wavetank")
local d = {
	cause = ProtoField.string("wavetank.drop.cause", "Dropped, cause"),
	node = ProtoField.string("wavetank.drop.node", "Dropped at"),
}
drop.fields = {d.cause, d.node}

local comment_of = Field.new("frame.comment")

function drop.dissector(tvb, pinfo, tree)
	for _, comment in ipairs({comment_of()}) do
		local cause, node = tostring(comment.value):match("^dropped: (.+) at (%S+)$")

		if cause then
			local branch = tree:add(drop, tvb())

			branch:set_generated()
			branch:append_text(", dropped: " .. cause .. " at " .. node)
			branch:add(d.cause, cause):set_generated()
			branch:add(d.node, node):set_generated()
		end
	end
end

register_postdissector(drop)
